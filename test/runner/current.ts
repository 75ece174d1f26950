/** The file that runs: files that share a process come one after the other. */
import type { Test } from 'tap'

let current: { file: string; test: Test } | undefined

/** The next file to be loaded has this path below `test/`, and reports to `test`. */
export function setCurrent(file: string, test: Test): void {
  current = { file, test }
}

/** What a file gets when it imports tap. */
export function currentTest(): Test {
  if (current === undefined) throw new Error('no test file is running')
  return current.test
}

/** Undefined in a file that runs through the loader. */
export function currentFile(): string | undefined {
  return current?.file
}
