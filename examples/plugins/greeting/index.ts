/** A subcommand of the command line: `svc greeting Ada` starts the server with an option that was given there. */
import { definePlugin, describe } from 'svc/plugin'

export default definePlugin<{ name: string }>({
  title: 'Greeting',
  description: 'Greets whom the command line names.',
  paths: ['/greeting'],
  options: { type: 'object', additionalProperties: false, properties: { name: { type: 'string', default: 'world' } } },
  command: {
    name: 'greeting',
    summary: 'start the server with somebody to greet',
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
