import 'reflect-metadata';

import { Injectable, UsePipes, ValidationPipe } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { QueueHandler } from '@tablequeue/nestjs';
import { TableQueueTestingModule, testingQueue } from '@tablequeue/nestjs/testing';
import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { Type } from 'class-transformer';
import { IsEmail, IsInt, Min, ValidateNested } from 'class-validator';

declare const test: (name: string, run: () => Promise<void>, timeout: number) => void;
declare const expect: (value: unknown) => { toBe(expected: unknown): void; toContain(expected: string): void };

class Line {
  @IsInt()
  @Min(1)
  count!: number;
}

class Invoice {
  @IsEmail()
  to!: string;

  @ValidateNested({ each: true })
  @Type(() => Line)
  lines!: Line[];
}

const send = defineJob<Invoice>('invoice.send', { retry: { attempts: 1 } });

@Injectable()
class Invoices {
  @UsePipes(new ValidationPipe({ transform: true }))
  @QueueHandler(send)
  send(invoice: Invoice): string {
    return `${invoice instanceof Invoice}, ${invoice.lines[0] instanceof Line}, to ${invoice.to}`;
  }
}

test('the rules of class-validator that a payload breaks are in the stored error of its job', async () => {
  const app = await Test.createTestingModule({
    imports: [TableQueueTestingModule.forRoot()],
    providers: [Invoices],
  }).compile();
  await app.init();
  const queue = app.get(TableQueue);
  const wrong = await queue.enqueue(send, { to: 'Ada', lines: [{ count: 0 }] });
  const right = await queue.enqueue(send, { to: 'ada@example.com', lines: [{ count: 2 }] });
  await testingQueue(app).drain({ failures: 'return' });
  const error = (await queue.find(wrong.id))?.error ?? '';
  expect(error).toContain('BadRequestException: Bad Request Exception');
  expect(error).toContain('to must be an email');
  expect(error).toContain('lines.0.count must not be less than 1');
  expect((await queue.find(right.id))?.result).toBe('true, true, to ada@example.com');
  await app.close();
}, 60_000);
