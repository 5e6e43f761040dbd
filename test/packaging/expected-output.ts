/** What the application prints: see application/main.ts. */
export const OUTPUT = `\
mail to ada@example.com for order 1, attempt 1
Error: not paid
jobs of the order that was not paid: 0
closed
`;
