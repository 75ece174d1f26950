/** Starts Swagger UI on the instance's own document. */
/* global SwaggerUIBundle */
const base = new URL('.', document.baseURI)

const dark = matchMedia('(prefers-color-scheme: dark)')
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followTheme)
followTheme()

fetch(new URL('openapi.json', base))
  .then(response => {
    if (!response.ok) throw new Error(`openapi.json: ${response.status} ${response.statusText}`)
    return response.json()
  })
  .then(spec => {
    // The page knows what the instance cannot: the address, prefix included, at which a gateway offers it.
    spec.servers = [{ url: base.href.replace(/\/$/, '') }]
    SwaggerUIBundle({
      spec,
      domNode: document.getElementById('docs'),
      deepLinking: true,
      docExpansion: 'none',
      filter: true,
      displayRequestDuration: true,
      validatorUrl: null,
    })
  })
  .catch(error => {
    document.getElementById('docs').textContent = error.message
  })
