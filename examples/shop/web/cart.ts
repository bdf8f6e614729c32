/** What a cart costs, in cents. */
export const total = (lines: { price: number; quantity: number }[]): number =>
  lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
