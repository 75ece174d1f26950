import type { ImportKind } from '../types.ts'
export const postmanKind: ImportKind = {
  id: 'postman',
  recognizes: () => false,
  convert: () => ({ found: 0, disabled: 0, skipped: 0 }),
}
