import { EntitySchema } from 'typeorm';

/** A table of the application's, to write to beside the queue's. */
export class Note {
  id!: number;
  text!: string;
}

export const NoteSchema = new EntitySchema<Note>({
  name: 'Note',
  target: Note,
  tableName: 'note',
  columns: { id: { type: 'int', primary: true }, text: { type: 'varchar', length: 200 } },
});
