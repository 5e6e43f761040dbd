import { downTableQueue, upTableQueue } from '@tablequeue/typeorm';
import { DataSource, type DataSourceOptions, type MigrationInterface, type QueryRunner } from 'typeorm';

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

export const options: DataSourceOptions = {
  type: 'mysql',
  url: process.env.DATABASE_URL ?? 'mysql://root:secret@localhost:3306/shop',
  migrations: [CreateShop1763700000000],
};

/** For the command-line tools. */
export default new DataSource(options);
