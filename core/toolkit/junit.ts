/** Results of checks as JUnit XML, for CI systems. */
import { visible } from './visible-text.ts'

export interface JunitSuite {
  name: string
  cases: readonly JunitCase[]
}

export interface JunitCase {
  className: string
  name: string
  tookMs: number
  outcome: JunitOutcome
}

export type JunitOutcome =
  | { kind: 'passed' }
  | { kind: 'skipped'; message: string }
  | { kind: 'error' | 'failure'; message: string; type?: string; text: string }
  /** Passed, with something to read. */
  | { kind: 'noted'; text: string }

export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escape(name)}">\n${suites.map(suiteXml).join('')}</testsuites>\n`
}

function suiteXml({ name, cases }: JunitSuite): string {
  const count = (kind: JunitOutcome['kind']): number => cases.filter(({ outcome }) => outcome.kind === kind).length
  const inner = cases.map(caseXml).join('')
  return `  <testsuite name="${escape(name)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}">\n${inner}  </testsuite>\n`
}

function caseXml({ className, name, tookMs, outcome }: JunitCase): string {
  const open = `    <testcase classname="${escape(className)}" name="${escape(name)}" time="${(tookMs / 1000).toFixed(3)}"`
  const inner = outcomeXml(outcome)
  return inner === '' ? `${open}/>\n` : `${open}>${inner}</testcase>\n`
}

function outcomeXml(outcome: JunitOutcome): string {
  switch (outcome.kind) {
    case 'passed':
      return ''
    case 'skipped':
      return `<skipped message="${escape(outcome.message)}"/>`
    case 'noted':
      return `<system-out>${escape(outcome.text)}</system-out>`
    default: {
      const type = outcome.type === undefined ? '' : ` type="${escape(outcome.type)}"`
      return `<${outcome.kind} message="${escape(outcome.message)}"${type}>${escape(outcome.text)}</${outcome.kind}>`
    }
  }
}

/** Text of XML 1.0, which has no control characters. */
function escape(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replaceAll(/[\ud800-\udfff\ufffe\uffff]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
