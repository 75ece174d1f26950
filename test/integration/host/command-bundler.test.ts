/** A server that a command starts builds with the bundler of the process: another would have its builds stopped. */
import t from 'tap'
import { commandContext } from '../../../core/cli/command-context.ts'
import { RESIDENT } from '../../../core/host/bundler.mjs'
import type { Bundler } from '../../../core/contract/bundler.ts'
import { plugin, pluginFolder } from '../../support/plugins.ts'

t.test('a server of a command builds with the bundler of the terminal [HOST-13]', async t => {
  const { folder } = pluginFolder(t, { one: plugin('one', '1') })
  let built = ''
  const bundler: Bundler = {
    build: options => {
      built += JSON.stringify(options.entryPoints)
      return RESIDENT.build(options)
    },
  }
  const output = { write: () => {} }
  const context = await commandContext(
    { plugin: null, section: null } as unknown as Parameters<typeof commandContext>[0],
    { out: output, err: output, environment: {}, workingDirectory: folder, bundler },
  )
  const environment = { SVC_HOST: '127.0.0.1', SVC_PLUGINS_DIR: folder, SVC_WATCH: 'false', SVC_LOG_LEVEL: 'off' }
  const ports = { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0' }
  const server = await context.startServer({ environment: { ...environment, ...ports } })
  await server.stop()
  t.match(built, folder, 'the plugin was built by it')
})
