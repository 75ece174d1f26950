/** `svc new-plugin`: creates a plugin from the example `starter`. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { PLUGIN_NAME } from '../host/discovery.ts'
import { isBuiltin } from '../host/packed.ts'
import type { Command } from '../contract/plugin.ts'
import { IS_EXECUTABLE, PRODUCT_FOLDER } from '../product.ts'
import { UsageError, readArguments } from './arguments.ts'
import { painter, type Terminal } from './terminal.ts'

const STARTER = join(PRODUCT_FOLDER, 'examples', 'plugins', 'starter')

export function newPluginCommand(terminal: Terminal): Command {
  return {
    name: 'new-plugin',
    summary: 'create a new plugin from a template',
    group: 'configure',
    usage: `usage: svc new-plugin <name> [--dir <folder>]

Creates a folder <name> with a plugin, its test, package.json and tsconfig.json. The plugin type-checks, loads and passes
its test without changes. The executable writes a plugin in JavaScript, without a test.

  --dir <folder>   where to create the folder; default: the working directory
`,
    async run(args) {
      const { options, words } = readArguments(
        args,
        { dir: { value: 'folder' } },
        { min: 1, max: 1, what: 'a name for the plugin' },
      )
      const name = words[0]!
      if (!PLUGIN_NAME.test(name))
        throw new UsageError(
          `"${name.slice(0, 100)}" is not a valid plugin name (expected up to 40 characters from a-z, 0-9 and "-", the first a letter)`,
        )
      if (isBuiltin(name)) throw new UsageError(`"${name}" is the name of a built-in plugin; choose another name`)
      const folder = resolve(terminal.workingDirectory, String(options.dir ?? '.'), name)
      if (existsSync(folder)) {
        terminal.err.write(`${folder} already exists; nothing was written\n`)
        return { exitCode: 1 }
      }
      const files = IS_EXECUTABLE ? await javascriptFiles(name) : await typescriptFiles(name, folder)
      await mkdir(folder, { recursive: true })
      for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content)
      terminal.out.write(nextSteps(relative(terminal.workingDirectory, folder) || '.', Object.keys(files), terminal))
      return { exitCode: 0 }
    },
  }
}

async function typescriptFiles(name: string, folder: string): Promise<Record<string, string>> {
  return {
    ...(await fromStarter(name, await readdir(STARTER))),
    'package.json': packageJson(name, folder),
    'tsconfig.json': TSCONFIG,
  }
}

/** The executable has no compiler, and no `svc/testing`. */
async function javascriptFiles(name: string): Promise<Record<string, string>> {
  return {
    ...(await fromStarter(name, ['index.js'])),
    'package.json': `${JSON.stringify({ name: `svc-plugin-${name}`, version: '0.1.0', type: 'module', main: 'index.js' }, null, 2)}\n`,
  }
}

/** Files of the example `starter`, renamed to the new plugin. */
async function fromStarter(name: string, files: readonly string[]): Promise<Record<string, string>> {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
  const rename = (text: string): string => text.replaceAll('starter', name).replaceAll('Starter', title)
  const written = await Promise.all(
    files.map(async file => [rename(file), rename(await readFile(join(STARTER, file), 'utf8'))] as const),
  )
  return Object.fromEntries(written)
}

function packageJson(name: string, folder: string): string {
  return `${JSON.stringify(
    {
      name: `svc-plugin-${name}`,
      version: '0.1.0',
      type: 'module',
      main: 'index.ts',
      files: ['index.ts'],
      scripts: { test: `node --import svc/register --test ${name}.test.ts`, typecheck: 'tsc' },
      // By its path: `svc` in the npm registry is an unrelated project.
      devDependencies: {
        '@types/node': '^20.19.0',
        fastify: fastifyRange(),
        svc: `file:${relative(folder, PRODUCT_FOLDER) || '.'}`,
        typescript: '>=5.8',
      },
    },
    null,
    2,
  )}\n`
}

/** The versions of Fastify whose types are those of svc. */
function fastifyRange(): string {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(PRODUCT_FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    peerDependencies?: Record<string, string>
  }
  return { ...dependencies, ...peerDependencies }.fastify ?? '*'
}

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      types: ['node'],
    },
  },
  null,
  2,
)}\n`

function nextSteps(folder: string, files: string[], { out }: Terminal): string {
  const paint = painter(out)
  const next = IS_EXECUTABLE
    ? '  SVC_PLUGINS_DIR=. svc check && SVC_PLUGINS_DIR=. svc\n'
    : `  npm install            # svc, TypeScript and type definitions
  npm test
  SVC_PLUGINS_DIR=. node_modules/.bin/svc check && SVC_PLUGINS_DIR=. node_modules/.bin/svc
`
  return `${files.map(file => `  ${paint('green', join(folder, file))}\n`).join('')}
Next:
  cd ${folder}
${next}`
}
