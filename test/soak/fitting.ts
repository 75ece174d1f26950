/** Which examples can be sent over and over. */
import type { ExampleOf } from '../support/catalog.ts'

const SWITCHES = ['/_svc/plugins', '/_svc/reload', '/health']

/** Without those that break their connection or disable something for all others. */
export function isFitting({ example, endpoint }: ExampleOf): boolean {
  return (
    !example.headers.some(({ name }) => name.toLowerCase() === 'x-svc-abort') &&
    !SWITCHES.some(path => endpoint.path.startsWith(path))
  )
}
