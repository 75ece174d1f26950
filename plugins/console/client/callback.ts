/** The redirect page of the authorization code flow: passes the response to the console and closes the window. */
const response = Object.fromEntries(new URLSearchParams(location.search))
const message = { type: 'svc-authorization', response }

// There is no opener if a page in between isolated its browsing context group.
if (window.opener) (window.opener as Window).postMessage(message, location.origin)
else new BroadcastChannel('svc.console.authorization').postMessage(message)

document.querySelector('p')!.textContent =
  response.error === undefined
    ? 'Signed in. You can close this window.'
    : `Sign-in failed: ${response.error_description ?? response.error}. You can close this window.`
setTimeout(() => window.close(), 100)
