import { drizzleTransaction } from '@tablequeue/typeorm/drizzle';

import { sendReceipt } from '../../../jobs';
import { openShop, orders } from '../../../shop';

export async function POST(request: Request): Promise<Response> {
  const { email } = (await request.json()) as { email: string };
  const { database, queue } = await openShop();
  // The order and its job are committed together, or not at all.
  const order = await database.transaction(async (tx) => {
    const [{ insertId }] = await tx.insert(orders).values({ email });
    await queue.enqueue(sendReceipt, { order: insertId, email }, { via: drizzleTransaction(tx) });
    return { id: insertId, email };
  });
  return Response.json(order, { status: 201 });
}
