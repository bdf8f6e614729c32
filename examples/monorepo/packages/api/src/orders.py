"""Orders: the file in hand of the example."""


def total(prices: list[int]) -> int:
    """The sum of all prices, in cents."""
    return sum(prices)
