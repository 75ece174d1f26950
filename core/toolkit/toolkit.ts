/**
 * Helpers that several plugins share, exported as `svc/toolkit`. Nothing here is needed to write a plugin: the contract is
 * `svc/plugin`.
 */

// ---------- Encodings

export {
  DER,
  DerError,
  derContextTag,
  derElement,
  expectDerElement,
  readDerElements,
  readOnlyDerElement,
} from './der.ts'
export type { DerElement } from './der.ts'
