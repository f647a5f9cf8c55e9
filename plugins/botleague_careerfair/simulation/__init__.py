"""The fair itself: the floor, its visitors and companies, without the platform."""
