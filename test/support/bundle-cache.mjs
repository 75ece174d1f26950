/**
 * Keeps bundles of the product's own files for the length of a run: each process of a run that starts a server would
 * otherwise bundle all plugins, which takes longer than most tests. Loaded into a process before anything else:
 * `node --import <this file>?folder=<where bundles are kept>`.
 *
 * This file is JavaScript because processes load it that have no loader for TypeScript.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve, sep } from 'node:path'

const PRODUCT = join(import.meta.dirname, '..', '..')
/** Tests write plugins to other folders, and change them. */
const OWN_FOLDERS = ['bin', 'core', 'plugins'].map(name => join(PRODUCT, name) + sep)
const folder = new URL(import.meta.url).searchParams.get('folder')

const require = createRequire(import.meta.url)
const esbuild = require('esbuild')
const { build } = esbuild

/** Whether all that is built is a part of the product, and the options say everything about it. */
function isKept({ entryPoints = [], absWorkingDir = process.cwd(), write, metafile, plugins = [] }) {
  if (write !== false || metafile !== true || plugins.length > 0 || entryPoints.length === 0) return false
  return entryPoints.every(entry => {
    const path = resolve(absWorkingDir, typeof entry === 'string' ? entry : entry.in)
    return OWN_FOLDERS.some(own => path.startsWith(own))
  })
}

/** What a build read, each file with what changes when its content does. */
function stateOf(files) {
  return files.map(file => {
    const { mtimeMs, ctimeMs, size } = statSync(file)
    return [file, mtimeMs, ctimeMs, size]
  })
}

function readKept(path) {
  try {
    const { metafile, state, outputs } = JSON.parse(readFileSync(`${path}.json`, 'utf8'))
    if (JSON.stringify(stateOf(state.map(([file]) => file))) !== JSON.stringify(state)) return null
    const outputFiles = outputs.map((output, index) => ({
      path: output,
      get text() {
        return readFileSync(`${path}.${index}`, 'utf8')
      },
      get contents() {
        return readFileSync(`${path}.${index}`)
      },
    }))
    return { errors: [], warnings: [], metafile, outputFiles }
  } catch {
    // Nothing is kept, or a file is gone.
    return null
  }
}

/** The list is written last, by renaming: a process that finds it finds the rest. */
function keep(path, { metafile, outputFiles }, absWorkingDir) {
  const state = stateOf(Object.keys(metafile.inputs).map(file => resolve(absWorkingDir, file)))
  mkdirSync(folder, { recursive: true })
  const write = (name, content) => {
    writeFileSync(`${name}.${process.pid}`, content)
    renameSync(`${name}.${process.pid}`, name)
  }
  for (const [index, { contents }] of outputFiles.entries()) write(`${path}.${index}`, contents)
  write(`${path}.json`, JSON.stringify({ metafile, state, outputs: outputFiles.map(file => file.path) }))
}

/** Like `build` of esbuild. */
async function buildOrRead(options) {
  if (!isKept(options)) return build(options)
  const path = join(folder, createHash('sha256').update(JSON.stringify(options)).digest('hex'))
  const kept = readKept(path)
  if (kept !== null) return kept
  const result = await build(options)
  if (result.errors.length === 0 && result.warnings.length === 0)
    try {
      keep(path, result, options.absWorkingDir ?? process.cwd())
    } catch {
      // The folder is gone after the run, and a test may have no space left.
    }
  return result
}

// The members of the module can't be replaced one by one.
if (folder !== null) require.cache[require.resolve('esbuild')].exports = { ...esbuild, build: buildOrRead }
