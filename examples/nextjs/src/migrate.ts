import { createConnection } from 'mysql2/promise';

// The queue has tables of its own, which `tablequeue migrate` creates.
const connection = await createConnection(process.env.DATABASE_URL!);
await connection.query(
  'CREATE TABLE IF NOT EXISTS `order` (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(200) NOT NULL)',
);
await connection.end();
