/** Opens a page in the user's browser. */
import { spawn } from 'node:child_process'

/** Resolves with false if there is no program that opens pages, or it fails at once. */
export function openInBrowser(url: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...args] = browserCommand(url, environment)
  return new Promise(resolve => {
    const child = spawn(program!, args, { env: environment, stdio: 'ignore', detached: true, windowsHide: true })
    child.on('error', () => resolve(false))
    child.on('exit', code => resolve(code === 0))
    // A browser that runs on its own is open.
    const timer = setTimeout(() => resolve(true), STARTED_MS)
    child.on('spawn', () => child.unref())
    child.on('close', () => clearTimeout(timer))
  })
}

/** A program that still runs after this time, in milliseconds, has not failed. */
const STARTED_MS = 2_000

/**
 * `BROWSER` is a command, or several with ":" between them, of which the first is used; `%s` in it stands for the URL. Otherwise
 * the program of the platform is used.
 */
export function browserCommand(
  url: string,
  { BROWSER: browser = '' }: NodeJS.ProcessEnv,
  platform = process.platform,
): string[] {
  const [first = ''] = platform === 'win32' ? [browser] : browser.split(':')
  const words = first.split(/\s+/).filter(word => word !== '')
  if (words.length > 0)
    return words.some(word => word.includes('%s')) ? words.map(word => word.replaceAll('%s', url)) : [...words, url]
  if (platform === 'darwin') return ['open', url]
  // "start" takes its first quoted argument as a title, and "cmd" would end the URL at "&".
  if (platform === 'win32') return ['cmd', '/c', 'start', '""', url.replaceAll('&', '^&')]
  return ['xdg-open', url]
}
