/** The page that a host shows next to the result of `show_weather`. It loads nothing and talks only to its host. */

export const VIEW = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Weather</title>
<style>
body { font: 16px/1.4 system-ui, sans-serif; margin: 0; padding: 16px }
h1 { font-size: 1.1rem; margin: 0 }
output { display: block; font-size: 2.5rem; margin: 8px 0 }
</style>
</head>
<body>
<h1 id="city">Weather</h1>
<output id="temperature">…</output>
<p id="conditions"></p>
<button id="refresh" type="button" disabled>Refresh</button>
<script>
const host = window.parent
const element = id => document.getElementById(id)
const pending = new Map()
let count = 0
let city = ''

const notify = (method, params) => host.postMessage({ jsonrpc: '2.0', method, params }, '*')

const ask = (method, params) => new Promise((resolve, reject) => {
  const id = ++count
  pending.set(id, { resolve, reject })
  host.postMessage({ jsonrpc: '2.0', id, method, params }, '*')
})

const show = result => {
  const weather = result?.structuredContent
  if (!weather) return
  city = String(weather.city)
  element('city').textContent = city
  element('temperature').textContent = weather.temperature + ' °' + weather.unit
  element('conditions').textContent = String(weather.conditions)
  element('refresh').disabled = false
  notify('ui/notifications/size-changed', {
    width: document.documentElement.scrollWidth,
    height: document.documentElement.scrollHeight,
  })
}

const notifications = {
  'ui/notifications/tool-input': params => {
    city = String(params?.arguments?.city ?? '')
    element('city').textContent = city
  },
  'ui/notifications/tool-result': show,
}

window.addEventListener('message', event => {
  if (event.source !== host) return
  const message = event.data
  if (message?.jsonrpc !== '2.0') return
  const waiting = pending.get(message.id)
  if (message.method === undefined && waiting) {
    pending.delete(message.id)
    if (message.error) waiting.reject(new Error(message.error.message))
    else waiting.resolve(message.result)
  } else if (message.id === undefined) notifications[message.method]?.(message.params)
  else if (message.method === 'ping' || message.method === 'ui/resource-teardown')
    host.postMessage({ jsonrpc: '2.0', id: message.id, result: {} }, '*')
})

element('refresh').addEventListener('click', async () => {
  element('refresh').disabled = true
  try {
    show(await ask('tools/call', { name: 'refresh_weather', arguments: { city } }))
  } finally {
    element('refresh').disabled = false
  }
})

ask('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'svc weather', version: '1.0.0' },
  appCapabilities: {},
}).then(() => notify('ui/notifications/initialized', {}))
</script>
</body>
</html>
`
