/**
 * Source maps (ECMA-426) for scripts bundled in memory: stack traces show the original files and lines.
 *
 * Node's own support reads the map of every script when it is loaded, and searches every function compiled at run time for
 * one, which takes a twelfth of the start. Here a map is read when the first error needs it.
 *
 * This file is JavaScript because it is used to load the TypeScript.
 */
import { findSourceMap, SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Source maps by script: first a function that returns the text, then the parsed map. Loading a script again replaces it. */
const maps = new Map()

/** Maps stack traces of the script `file` (a path or URL). `map` returns the source map as JSON text. */
export function registerSourceMap(file, map) {
  if (maps.size === 0) install()
  maps.set(file, map)
}

/** Installs `Error.prepareStackTrace`. Stacks without a mapped script are passed to the previous function. */
function install() {
  const before = Error.prepareStackTrace
  Error.prepareStackTrace = (error, frames) => {
    const isOurs = before === undefined || frames.some(frame => maps.has(frame.getFileName()))
    return isOurs ? printStack(error, frames) : before(error, frames)
  }
}

/** Prints a stack like V8, with mapped positions. Called when a stack is first read, which must not throw. */
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

/** The map set with `registerSourceMap`, otherwise the one that Node found if its source map support is enabled. */
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
