/** The page below `ui/` that an authorization server leads back to: hands the answer to the console and goes. */
const answer = Object.fromEntries(new URLSearchParams(location.search))
const message = { type: 'svc-authorization', answer }

// The opener is lost when a page in between asked for a browsing context of its own.
if (window.opener) (window.opener as Window).postMessage(message, location.origin)
else new BroadcastChannel('svc.console.authorization').postMessage(message)

document.querySelector('p')!.textContent =
  answer.error === undefined
    ? 'Signed in. This window can be closed.'
    : `Refused: ${answer.error_description ?? answer.error}. This window can be closed.`
setTimeout(() => window.close(), 100)
