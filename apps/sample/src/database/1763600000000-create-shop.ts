import { downTableQueue, upTableQueue } from '@tablequeue/typeorm';
import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';

/** Creates the table of the orders, and the tables of the queue. */
export class CreateShop1763600000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createTable(
      new Table({
        name: 'shop_order',
        columns: [
          { name: 'id', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
          { name: 'item', type: 'varchar', length: '100' },
          { name: 'email', type: 'varchar', length: '200' },
          { name: 'cents', type: 'integer' },
          { name: 'status', type: 'varchar', length: '10' },
        ],
      }),
    );
    await upTableQueue(queryRunner, { to: 1 });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await downTableQueue(queryRunner, { from: 1 });
    await queryRunner.dropTable('shop_order');
  }
}
