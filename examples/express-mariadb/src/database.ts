import { downTableQueue, tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import { DataSource, EntitySchema, type MigrationInterface, type QueryRunner } from 'typeorm';

export const Order = new EntitySchema<{ id: number; email: string }>({
  name: 'order',
  columns: { id: { type: 'int', primary: true, generated: true }, email: { type: 'varchar', length: 200 } },
});

class CreateShop1763700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE `order` (id INT AUTO_INCREMENT PRIMARY KEY, email VARCHAR(200) NOT NULL)');
    await upTableQueue(queryRunner, { to: 1 });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await downTableQueue(queryRunner, { from: 1 });
    await queryRunner.query('DROP TABLE `order`');
  }
}

export const dataSource = new DataSource({
  type: 'mariadb',
  url: process.env.DATABASE_URL ?? 'mariadb://root:secret@localhost:3306/shop',
  entities: [Order, ...tableQueueEntities('mariadb')],
  migrations: [CreateShop1763700000000],
});
