"""Career fair: teams of four walk a crowded hall and stand in lines for the recruiters' points."""
