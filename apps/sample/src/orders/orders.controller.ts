import { BadRequestException, Body, Controller, Get, HttpCode, Param, ParseIntPipe, Post } from '@nestjs/common';
import { z } from 'zod';

import { type Order } from './order.entity.js';
import { type OrderWithJobs, OrdersService } from './orders.service.js';

const newOrder = z.object({ item: z.string().min(1).max(100), email: z.email(), cents: z.int().min(1) });

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  create(@Body() body: unknown): Promise<Order> {
    const { data, error } = newOrder.safeParse(body);
    if (error) {
      throw new BadRequestException(z.prettifyError(error));
    }
    return this.orders.create(data);
  }

  @Post(':id/pay')
  @HttpCode(200)
  pay(@Param('id', ParseIntPipe) id: number): Promise<Order> {
    return this.orders.pay(id);
  }

  @Get()
  list(): Promise<OrderWithJobs[]> {
    return this.orders.list();
  }

  @Get(':id')
  find(@Param('id', ParseIntPipe) id: number): Promise<OrderWithJobs> {
    return this.orders.find(id);
  }
}
