import { type QueueDatabaseType, downTableQueue, tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import { dataSourceOf } from '@tablequeue/typeorm/internal';
import { EntitySchema, type QueryRunner, Table } from 'typeorm';

/** A row that a transactional handler writes: the effect that must exist once. */
export class EffectRow {
  readonly number!: number;
  readonly token!: string;
  readonly attempt!: number;
  readonly process!: string;
}

/** A row that a producer writes in the transaction of an enqueue. It exists if the transaction was committed. */
export class OrderRow {
  readonly token!: string;
}

/** A row that the server heartbeat commits. */
export class BeatRow {
  readonly number!: number;
}

/** The names of the tables of a run. */
export class VerifyTables {
  readonly effect: string;
  readonly order: string;
  readonly beat: string;
  readonly job: string;
  readonly worker: string;

  /** @param prefix the start of all names. */
  constructor(readonly prefix: string) {
    this.effect = `${prefix}effect`;
    this.order = `${prefix}order`;
    this.beat = `${prefix}beat`;
    this.job = `${prefix}job`;
    this.worker = `${prefix}worker`;
  }

  /** Returns the entities of the queue, and those of the three rows above. */
  entities(type: QueueDatabaseType): EntitySchema[] {
    const effect = new EntitySchema<EffectRow>({
      name: EffectRow.name,
      target: EffectRow,
      tableName: this.effect,
      columns: {
        // The token is no key, because the checks look for tokens that occur twice.
        number: NUMBER,
        token: TOKEN,
        attempt: { type: Number },
        process: { type: String, length: 64 },
      },
    });
    const order = new EntitySchema<OrderRow>({
      name: OrderRow.name,
      target: OrderRow,
      tableName: this.order,
      columns: { token: { ...TOKEN, primary: true } },
    });
    const beat = new EntitySchema<BeatRow>({
      name: BeatRow.name,
      target: BeatRow,
      tableName: this.beat,
      columns: { number: NUMBER },
    });
    return [...tableQueueEntities(type, { prefix: this.prefix }), effect, order, beat] as EntitySchema[];
  }

  async create(queryRunner: QueryRunner): Promise<void> {
    await upTableQueue(queryRunner, { prefix: this.prefix });
    const dataSource = dataSourceOf(queryRunner);
    for (const each of [EffectRow, OrderRow, BeatRow]) {
      await queryRunner.createTable(Table.create(dataSource.getMetadata(each), dataSource.driver), true);
    }
  }

  async drop(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable(this.effect, true);
    await queryRunner.dropTable(this.order, true);
    await queryRunner.dropTable(this.beat, true);
    await downTableQueue(queryRunner, { prefix: this.prefix });
  }
}

const NUMBER = { type: Number, primary: true, generated: 'increment' } as const;
const TOKEN = { type: String, length: 64 } as const;
