/** What the application prints: see application/main.ts. */
export const OUTPUT = `\
mail to ada@example.com for order 1, attempt 2
Error: not paid
jobs of the order that was not paid: 0
dashboard "Tablequeue": order.confirm succeeded, script loaded
closed
`;
