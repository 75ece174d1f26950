/** Whether a gateway that joins graphs can take a subgraph at all. */
import { parse } from 'graphql'
import { issue, type Issue } from '../document/issue.ts'

/** What composes the SDL of a subgraph alone; its warnings. */
export type Composer = (sdl: string) => Promise<Issue[]>

const MAX_WARNINGS = 20

/** Composes in this thread, without a limit of time. */
export async function compositionWarnings(sdl: string): Promise<Issue[]> {
  const { composeServices } = await import('@theguild/federation-composition')
  try {
    const typeDefs = parse(sdl, { noLocation: true })
    const { errors } = composeServices([{ name: 'mock', url: 'http://mock.invalid', typeDefs }])
    return (errors ?? [])
      .slice(0, MAX_WARNINGS)
      .map(({ message, extensions }) => compositionWarning(`${String(extensions['code'])}: ${message}`))
  } catch (error) {
    // The composer throws for some odd schemas, such as keys that are nested very deeply.
    return [compositionWarning(`COMPOSER_FAILED: ${(error as Error).message}`)]
  }
}

export function compositionWarning(message: string): Issue {
  return issue('does_not_compose', null, `alone, the subgraph does not compose: ${message.slice(0, 300)}`)
}
