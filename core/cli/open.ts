/** `svc open`: opens a page of a running instance in the browser. */
import type { Command } from '../contract/plugin.ts'
import { nearest } from '../toolkit/nearest.ts'
import { UsageError, readArguments } from './arguments.ts'
import { openInBrowser } from './browser.ts'
import { findDefinitions } from './plugin-definitions.ts'
import { findInstance, instanceUrl, readiness } from './running-instance.ts'
import type { Terminal } from './terminal.ts'

const READY_MS = 3_000
/** The page at `/` lists all endpoints. */
const CATALOG = 'catalog'

export function openCommand(terminal: Terminal): Command {
  return {
    name: 'open',
    summary: 'open a page of a running instance in the browser',
    group: 'run',
    usage: `usage: svc open [console|docs|catalog|<path>] [--url <url>] [--print]

Prints the address of a page and opens it with BROWSER, or with the program of the system. Default: the console.

  --url <url>   the instance; default: port SVC_HTTP_PORT of this machine, else the first of 80 and 8080 to 8089 where an
                svc is running
  --print       only print the address

Exit codes: 0 opened, 1 no instance is running or nothing could be opened, 2 invalid command line.
`,
    complete: async () => ({ '': [...(await pagesOf(terminal)).keys()] }),
    async run(args) {
      const { out, err, environment } = terminal
      const { options, words } = readArguments(args, { url: { value: 'URL' }, print: {} }, { min: 0, max: 1 })
      const path = await pathOf(words[0], terminal)
      const url = options.url === undefined ? await findInstance(environment) : instanceUrl(String(options.url))
      const state = typeof url === 'string' ? await readiness(url, READY_MS) : url
      if (state !== 'ready') {
        err.write(`${state.reason}\nstart one with: svc --port 8080\n`)
        return { exitCode: 1 }
      }
      const page = `${shownUrl(String(url))}${path}`
      out.write(`${page}\n`)
      if (options.print || (await openInBrowser(page, environment))) return { exitCode: 0 }
      err.write('no browser could be opened; set BROWSER to a command, or use the address above\n')
      return { exitCode: 1 }
    },
  }
}

/** Paths of pages by their lower-case name, the first page of plugins first. */
export async function pagesOf(terminal: Terminal): Promise<Map<string, string>> {
  const steps = (await findDefinitions(terminal, undefined, text => text.includes('firstSteps'))).flatMap(
    ({ definition }) => definition.firstSteps ?? [],
  )
  const pages = steps
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap(step => ('href' in step ? [[step.text.toLowerCase(), `/${step.href}`] as const] : []))
  return new Map([...pages, [CATALOG, '/']])
}

async function pathOf(word: string | undefined, terminal: Terminal): Promise<string> {
  if (word?.startsWith('/')) return word
  const pages = await pagesOf(terminal)
  const path = word === undefined ? [...pages.values()][0] : pages.get(word)
  if (path !== undefined) return path
  const guess = nearest(word!, pages.keys())
  throw new UsageError(
    `unknown page: ${word!.slice(0, 200)}${guess === undefined ? ` (expected ${[...pages.keys()].join(', ')}, or a path that starts with "/")` : ` (did you mean ${guess}?)`}`,
  )
}

function shownUrl(url: string): string {
  return url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost')
}
