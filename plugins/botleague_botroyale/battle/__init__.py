"""The battle itself: state, actions and maps, without the platform."""
