import type { ImportKind } from '../types.ts'
export const mockoonKind: ImportKind = {
  id: 'mockoon',
  recognizes: () => false,
  convert: () => ({ found: 0, disabled: 0, skipped: 0 }),
}
