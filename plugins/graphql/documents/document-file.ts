/** The file of persisted documents that `graphql.documents.file` names. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Svc } from 'svc/plugin'
import { InputProblem } from 'svc/toolkit'
import { readManifest } from './manifest.ts'

/** Reads the file, whose path is relative to `svc.yaml`. What is wrong is a load error; there are no documents then. */
export function readDocumentFile(
  svc: Pick<Svc, 'config' | 'watch' | 'reportLoadError'>,
  path: string | undefined,
): Map<string, string> {
  if (path === undefined) return new Map()
  const { configFile } = svc.config
  const file = resolve(configFile === null ? '.' : dirname(resolve(configFile)), path)
  svc.watch(file)
  const fail = (message: string): Map<string, string> => {
    svc.reportLoadError({
      at: 'graphql.documents.file',
      message: `${path}: ${message}`,
      remedy: 'correct the path or the file',
    })
    return new Map()
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(code === undefined ? 'it is not JSON' : `it can't be read (${code})`)
  }
  try {
    return readManifest(value)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    return fail(`${error.at === '' ? '' : `${error.at}: `}${error.message}`)
  }
}
