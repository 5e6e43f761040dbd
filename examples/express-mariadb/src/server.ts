import { TableQueue } from '@tablequeue/typeorm';
import express from 'express';

import { Order, dataSource } from './database.js';
import { sendReceipt } from './jobs.js';

await dataSource.initialize();
const queue = new TableQueue(dataSource);
const app = express();
app.use(express.json());

// Express 5 passes a rejection to its error handler.
// oxlint-disable-next-line oxc/no-async-endpoint-handlers
app.post('/orders', async (request, response) => {
  const { email } = request.body as { email: string };
  // The order and its job are committed together, or not at all.
  const order = await dataSource.transaction(async (manager) => {
    const saved = await manager.save(Order, { email });
    await queue.enqueue(sendReceipt, { order: saved.id, email }, { manager });
    return saved;
  });
  response.status(201).json(order);
});

const port = Number(process.env.PORT ?? 3000);
const server = app.listen(port, () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', () => {
  server.close(() => void dataSource.destroy());
});
