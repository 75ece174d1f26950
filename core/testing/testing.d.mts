/** The types of `testing.mjs` in a checkout; a package has them in `types/`. */
export * from './index.ts'
