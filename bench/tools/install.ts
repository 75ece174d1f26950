/** Installs tools from their registries, each in an empty folder. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Installed } from './tool.ts'

const MAVEN = join(homedir(), '.m2', 'repository')
const ROOT = join(import.meta.dirname, '..', '..')

/** Installs a package of npm and what it depends on, alone. */
export function installPackage(folder: string, wanted: string, command: string): Installed {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', wanted], {
    cwd: folder,
    stdio: 'ignore',
  })
  const modules = join(folder, 'node_modules')
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  const count = Object.keys(packages).length
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return {
    parts: `${count} package${count === 1 ? '' : 's'}`,
    bytes: files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0),
    command: [process.execPath, realpathSync(join(modules, '.bin', command))],
  }
}

/** A jar with everything in it, from the local repository of Maven. `path` is its folder there, with dots and slashes. */
export function mavenJar(group: string, artifact: string, version: string): Installed {
  const jar = join(MAVEN, ...group.split('.'), artifact, version, `${artifact}-${version}.jar`)
  if (!existsSync(jar)) throw new Error(`${group}:${artifact} is not in the local repository of Maven`)
  return { parts: '1 jar', bytes: statSync(jar).size, command: ['java', '-jar', jar] }
}

/** The jars of a folder that a variable names, as `mvn dependency:copy-dependencies` writes them. */
export function jarsOfFolder(variable: string, main: string): Installed {
  const folder = process.env[variable] ?? ''
  if (folder === '') throw new Error(`${variable} does not name the folder with its jars`)
  const jars = readdirSync(folder).filter(name => name.endsWith('.jar'))
  return {
    parts: `${jars.length} jars`,
    bytes: jars.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
    command: ['java', '-cp', join(folder, '*'), main],
  }
}

/** A command of a Go module. */
export function goBinary(folder: string, module: string): Installed {
  execFileSync('go', ['install', module], { env: { ...process.env, GOBIN: folder }, stdio: 'ignore' })
  const binary = join(folder, module.slice(module.lastIndexOf('/') + 1, module.indexOf('@')))
  return { parts: '1 binary', bytes: statSync(binary).size, command: [binary] }
}

/** Builds and packs svc; returns the path of the tarball. */
export function packProduct(out: string): string {
  const home = join(out, 'package')
  execFileSync(process.execPath, ['--import', 'tsx', 'packing/build.ts', '--out', home], { cwd: ROOT, stdio: 'ignore' })
  const name = execFileSync('npm', ['pack', home, '--silent', '--pack-destination', out], { encoding: 'utf8' })
  return join(out, name.trim().split('\n').at(-1)!)
}

/** The versions in the last table of `docs/comparison.md`, by name. */
export function versionsIn(page: string): Map<string, string> {
  const rows = page.slice(page.indexOf('## Versions')).matchAll(/^\| ([\w-]+) \|[^|]*\| (\d+\.\d+\.\d+)/gm)
  return new Map([...rows].map(([, name, version]) => [name!, version!]))
}
