/** A subcommand: `svc greeting Ada` starts the server with the name as an option of the plugin. */
import { definePlugin, describe } from 'svc/plugin'

export default definePlugin<{ name: string }>({
  title: 'Greeting',
  description: 'Greets the person named on the command line.',
  paths: ['/greeting'],
  options: { type: 'object', additionalProperties: false, properties: { name: { type: 'string', default: 'world' } } },
  command: {
    name: 'greeting',
    summary: 'start the server and greet NAME',
    usage: 'usage: svc greeting NAME\n',
    run(args) {
      const [name, ...more] = args
      if (name === undefined || more.length > 0) {
        process.stderr.write('usage: svc greeting NAME\n')
        return { exitCode: 2 }
      }
      return {
        serve: true,
        options: { name },
        whenListening: url => void process.stdout.write(`greeting at ${url}/greeting\n`),
      }
    },
  },
  register(app, svc) {
    app.get(
      '/greeting',
      describe({
        summary: 'A greeting',
        category: 'Greeting',
        examples: [{ name: 'Hello', path: '/greeting', expectStatus: 200 }],
      }),
      () => ({ greeting: `Hello, ${svc.options.name}` }),
    )
  },
})
