import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The state of an order. */
export type OrderStatus = 'unpaid' | 'paid' | 'shipped' | 'cancelled';

@Entity('shop_order')
export class Order {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'varchar', length: 100 })
  item!: string;

  @Column({ type: 'varchar', length: 200 })
  email!: string;

  @Column({ type: 'integer' })
  cents!: number;

  @Column({ type: 'varchar', length: 10 })
  status!: OrderStatus;
}
