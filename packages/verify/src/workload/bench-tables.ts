import { type QueueDatabaseType, downTableQueue, tableQueueEntities, upTableQueue } from '@tablequeue/typeorm';
import { EntitySchema, type QueryRunner, Table } from 'typeorm';

/** A row that a transactional handler writes: the effect that must be there once. */
export class EffectRow {
  readonly number!: number;
  readonly token!: string;
  readonly attempt!: number;
  readonly process!: string;
}

/** A row that a producer writes in the transaction in which it enqueues: it is there if that was committed. */
export class OrderRow {
  readonly token!: string;
}

/** A row that is committed to see whether the server commits. */
export class BeatRow {
  readonly number!: number;
}

/** The names of the tables of a run. */
export class BenchTables {
  readonly effect: string;
  readonly order: string;
  readonly beat: string;
  readonly job: string;
  readonly worker: string;

  /** @param prefix what all their names begin with. */
  constructor(readonly prefix: string) {
    this.effect = `${prefix}effect`;
    this.order = `${prefix}order`;
    this.beat = `${prefix}beat`;
    this.job = `${prefix}job`;
    this.worker = `${prefix}worker`;
  }

  /** The queue's entities and those three. */
  entities(type: QueueDatabaseType): EntitySchema[] {
    const effect = new EntitySchema<EffectRow>({
      name: EffectRow.name,
      target: EffectRow,
      tableName: this.effect,
      columns: {
        // A number of its own: a token that is there twice is what is looked for.
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

  /** Creates all tables. */
  async create(queryRunner: QueryRunner): Promise<void> {
    await upTableQueue(queryRunner, { prefix: this.prefix });
    for (const each of [EffectRow, OrderRow, BeatRow]) {
      const metadata = queryRunner.dataSource.getMetadata(each);
      await queryRunner.createTable(Table.create(metadata, queryRunner.dataSource.driver), true);
    }
  }

  /** Drops all that are there. */
  async drop(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable(this.effect, true);
    await queryRunner.dropTable(this.order, true);
    await queryRunner.dropTable(this.beat, true);
    await downTableQueue(queryRunner, { prefix: this.prefix });
  }
}

const NUMBER = { type: Number, primary: true, generated: 'increment' } as const;
const TOKEN = { type: String, length: 64 } as const;
