/** A plugin that opens the listeners of its section, for tests of `svc.listeners`. */
export const PORTS_PLUGIN = `import { definePlugin, describe } from 'svc/plugin'
import { HTTP_LISTENER_PROPERTIES, LISTENER_PROPERTIES } from 'svc/toolkit'
const list = (properties, more = {}) => ({
  type: 'array', default: [],
  items: { type: 'object', required: ['port'], additionalProperties: false, properties: { ...properties, ...more } },
})
export default definePlugin({
  title: 'Ports',
  paths: ['/ports'],
  options: { type: 'object', additionalProperties: false, properties: {
    tcp: list(LISTENER_PROPERTIES, { greeting: { type: 'string' } }),
    udp: list(LISTENER_PROPERTIES),
    http: list(HTTP_LISTENER_PROPERTIES, { mount: { type: 'string' } }),
  } },
  register(app, svc) {
    const open = {}
    svc.options.tcp.forEach((entry, index) => {
      open[entry.name] = svc.listeners.tcp({ ...entry, at: \`ports.tcp[\${index}]\`, serves: 'facts', mode: 'facts' }, connection => {
        if (entry.greeting === 'throw') throw new Error('asked for')
        const { socket, record, signal, transport, ...facts } = connection
        const line = JSON.stringify({ ...facts, greeting: entry.greeting ?? null }) + '\\n'
        socket.write(line)
        record.sent(line.length)
        socket.on('data', chunk => {
          record.received(chunk)
          socket.write(chunk)
          record.sent(chunk.length)
        })
        socket.on('end', () => socket.end())
      })
    })
    svc.options.udp.forEach((entry, index) => {
      open[entry.name] = svc.listeners.udp({ ...entry, at: \`ports.udp[\${index}]\` }, ({ data, reply, record, ...facts }) => {
        record.received(data)
        reply(Buffer.from(JSON.stringify({ ...facts, data: data.toString() })))
      })
    })
    svc.options.http.forEach((entry, index) => {
      open[entry.name] = svc.listeners.http({ ...entry, at: \`ports.http[\${index}]\`, serves: 'ports' })
    })
    const examples = path => [{ name: 'Example', path }]
    app.get('/ports', describe({ summary: 'Open ports', category: 'Test', examples: examples('/ports') }), () =>
      Object.fromEntries(Object.entries(open).map(([name, port]) => [name, port()])))
    app.get('/ports/client', describe({ summary: 'Client', category: 'Test', examples: examples('/ports/client') }), () => svc.pki.client())
    app.get('/ports/who', describe({ summary: 'Who', category: 'Test', examples: examples('/ports/who') }), request => ({
      listener: svc.http.listener(request), ip: svc.http.clientIp(request), version: request.raw.httpVersion,
      target: svc.http.target(request), origin: svc.http.origin(request).serialized, proxy: svc.http.proxyHeader?.(request) ?? null,
    }))
  },
})
`
