// The service worker without which phones show no notification. A tap on one leads to the page.

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const pages = clients.matchAll({ type: "window", includeUncontrolled: true });
  event.waitUntil(pages.then(([page]) => page?.focus()));
});
