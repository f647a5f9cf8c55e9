"""What a match leaves beside its record: output, drawings and measurements of each seat."""
