"""Orders and what they cost."""


def total(lines: list[tuple[int, int]]) -> int:
    """What an order costs, in cents: each line is a price and a quantity."""
    return sum(price * quantity for price, quantity in lines)
