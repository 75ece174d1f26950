/** The test that a file gets when it imports tap: files that share a process each report below a test of their own. */
import type { Test } from 'tap'

let current: Test | undefined

/** The next file to be loaded gets `test`. */
export function setCurrentTest(test: Test): void {
  current = test
}

export function currentTest(): Test {
  if (current === undefined) throw new Error('no test file is running')
  return current
}
