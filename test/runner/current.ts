/** The test file that is running. Files that share a process run one after the other. */
import type { Test } from 'tap'

let current: { file: string; test: Test } | undefined

/** Sets the path below `test/` and the tap test of the next file to be loaded. */
export function setCurrent(file: string, test: Test): void {
  current = { file, test }
}

/** The value of `import t from 'tap'` in the file. */
export function currentTest(): Test {
  if (current === undefined) throw new Error('no test file is running')
  return current.test
}

/** Undefined in a file that runs through the loader. */
export function currentFile(): string | undefined {
  return current?.file
}
