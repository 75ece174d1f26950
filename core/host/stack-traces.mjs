/**
 * Stack traces of scripts that were bundled in memory show the files and lines they were made from (ECMA-426).
 *
 * Node can do this by itself, but then reads the map of every script as it loads and looks for one in every function that
 * is compiled at run time: a twelfth of the product's start. Here a map is read when an error first asks for it.
 *
 * JavaScript, since it is used by what loads the TypeScript.
 */
import { findSourceMap, SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** By the script's name; a function that gives the text until it is first needed. A script that is loaded again replaces its map. */
const maps = new Map()

/** From now on stack traces of the script `file`, a path or URL, are shown by what `map` gives: JSON text. */
export function showSources(file, map) {
  if (maps.size === 0) install()
  maps.set(file, map)
}

/** Packages set this for a moment and put back what they found; stacks without a script of ours are left to whoever was here before. */
function install() {
  const before = Error.prepareStackTrace
  Error.prepareStackTrace = (error, frames) => {
    const isOurs = before === undefined || frames.some(frame => maps.has(frame.getFileName()))
    return isOurs ? printStack(error, frames) : before(error, frames)
  }
}

/** As V8 prints it, with mapped places. Called when a stack is first read, which must not throw. */
function printStack(error, frames) {
  return [headOf(error), ...frames.map(frame => `\n    at ${printFrame(frame)}`)].join('')
}

function headOf(error) {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}

function printFrame(frame) {
  const printed = String(frame)
  const file = frame.getFileName()
  const map = file === null ? undefined : mapOf(file)
  if (map === undefined) return printed
  const line = frame.getLineNumber()
  const column = frame.getColumnNumber()
  const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1)
  if (originalSource === undefined) return printed
  const source = originalSource.startsWith('file:') ? originalSource : resolve(dirname(pathOf(file)), originalSource)
  return printed.replace(`${file}:${line}:${column}`, () => `${source}:${originalLine + 1}:${originalColumn + 1}`)
}

/** Ours, else what Node keeps when its own source maps are on. */
function mapOf(file) {
  const known = maps.get(file)
  if (typeof known !== 'function') return known ?? findSourceMap(file)
  const map = new SourceMap(JSON.parse(known()))
  maps.set(file, map)
  return map
}

function pathOf(file) {
  return file.startsWith('file:') ? fileURLToPath(file) : file
}
