/** Parsers that are called directly, with mutated valid input. */
import t from 'tap'
import { fuzz } from './engine.ts'
import { documents } from './functions/documents.ts'
import { fields } from './functions/fields.ts'
import { heads } from './functions/heads.ts'

t.setTimeout(0)
await t.test('every parser accepts or rejects its input [FUZZ-1, FUZZ-2, FUZZ-3]', t =>
  fuzz(t, [...heads, ...fields, ...documents]),
)
