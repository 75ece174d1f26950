/** Describes the fields of a message. */
import type { Layout, WireField } from './wire.ts'

/** A field: its number, name and kind; `*` for repeated ones. */
type Row = [number: number, name: string, kind: WireField['kind'], repeated?: '*']

/** Called when the message is first read, so that messages can contain themselves. */
export function layout(rows: () => readonly Row[]): Layout {
  let fields: ReadonlyMap<number, WireField> | undefined
  return () =>
    (fields ??= new Map(
      rows().map(([number, name, kind, repeated]): [number, WireField] => [
        number,
        { name, kind, ...(repeated === undefined ? {} : { isRepeated: true }) },
      ]),
    ))
}
