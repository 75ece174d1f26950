/** Starts Swagger UI with the OpenAPI document of the instance. */
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
    // Only the page knows the URL of the instance behind a gateway, including the path prefix.
    spec.servers = [{ url: base.href.replace(/\/$/, '') }]
    const ui = SwaggerUIBundle({
      spec,
      domNode: document.getElementById('docs'),
      deepLinking: true,
      docExpansion: 'none',
      // Folded headings alone show nothing: the first category is open, unless the link names an operation.
      onComplete() {
        if (location.hash.length <= 2) ui.layoutActions.show(['operations-tag', spec.tags[0].name], true)
      },
      filter: true,
      displayRequestDuration: true,
      validatorUrl: null,
    })
  })
  .catch(error => {
    document.getElementById('docs').textContent = error.message
  })
