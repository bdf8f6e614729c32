"""File formats with exact ranges: each parser returns what could be read and the faults, and never raises."""
