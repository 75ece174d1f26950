/** Checks the options of a test server: what is misspelled must not look like a test that passes. */
import { unknownName } from '../toolkit/unknown-name.ts'
import { isRecord } from '../contract/record.ts'
import type { LoadError } from '../contract/plugin.ts'

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(item => typeof item === 'string')

/** The options, with what each must be. */
const OPTIONS: Record<string, { expected: string; isValid(value: unknown): boolean }> = {
  folders: { expected: 'a list of paths', isValid: isTextList },
  packages: { expected: 'a list of package names', isValid: isTextList },
  plugins: { expected: 'a list of plugin names', isValid: isTextList },
  settings: { expected: 'an object with sections of svc.yaml', isValid: isRecord },
  yaml: { expected: 'the text of svc.yaml', isValid: value => typeof value === 'string' },
  strictState: { expected: 'true or false', isValid: value => typeof value === 'boolean' },
  allowProblems: { expected: 'true or false', isValid: value => typeof value === 'boolean' },
  env: {
    expected: 'an object with texts',
    isValid: value => isRecord(value) && Object.values(value).every(text => typeof text === 'string'),
  },
}

/** Throws a `TypeError` that names the first wrong option. `own`: further options of the caller, which are not checked. */
export function checkTestOptions(options: object, own: readonly string[] = []): void {
  for (const [name, value] of Object.entries(options)) {
    if (own.includes(name) || value === undefined) continue
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
    if (option === undefined)
      throw new TypeError(unknownName('option', name, Object.keys(OPTIONS), { listsNames: true }).message)
    if (!option.isValid(value)) throw new TypeError(`the option ${name} must be ${option.expected}`)
  }
}

/** The problems of a configuration, in the words of `svc check`. */
export function describeProblems(problems: readonly Pick<LoadError, 'at' | 'message' | 'remedy'>[]): string {
  const lines = problems.map(
    ({ at, message, remedy }) =>
      `${at === null ? '' : `${at}: `}${message}${remedy === undefined ? '' : `\n    ${remedy}`}`,
  )
  return `the configuration of the test server is wrong (allowProblems: true accepts it):\n${lines.join('\n')}`
}
