import type { ImportKind } from '../types.ts'
export const mockserverKind: ImportKind = { id: 'mockserver', recognizes: () => false, convert: () => ({ found: 0, disabled: 0, skipped: 0 }) }
