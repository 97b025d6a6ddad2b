//! What the servers in reach offer: what is known of it, and how far a listing has got.
//!
//! Owns the lists that were told, so that one that is known can be shown while nobody may be
//! asked. Must not know how a server is asked. Invariant: no address comes twice, however this
//! machine is called in it.

use crate::{
    config::Server,
    protocol::models::{Listing, ServerModels},
    provider::{
        ProviderError,
        discover::{Found, Offer, mute_last},
    },
};

/// The lists, in the order in which they became known.
#[derive(Default)]
pub(super) struct Lists {
    servers: Vec<Known>,
}

/// One server, and its list.
struct Known {
    offer: ServerModels,
    /// Whether the settings name it.
    is_set: bool,
}

impl Lists {
    /// The server of the settings, which may not have told anything yet.
    pub(super) fn set(&mut self, server: &Server) {
        for known in &mut self.servers {
            known.is_set = is_same(&known.offer.base_url, &server.base_url);
        }
        if !self.servers.iter().any(|known| known.is_set) {
            let base_url = server.base_url.trim().trim_end_matches('/').to_owned();
            let place = super::server::place(&base_url);
            // A name and password before the host are nobody's business.
            let base_url = if base_url.contains('@') { place.clone() } else { base_url };
            let offer = ServerModels::asked(base_url, place);
            self.servers.insert(0, Known { offer, is_set: true });
        }
    }

    /// The server of the settings told its models, or why not.
    pub(super) fn told(&mut self, answer: Result<Vec<String>, ProviderError>) {
        let Some(known) = self.servers.iter_mut().find(|known| known.is_set) else { return };
        match answer {
            Ok(models) => {
                known.offer.models = mute_last(models);
                known.offer.listing = Listing::Known;
            }
            Err(error) => {
                known.offer.models.clear();
                known.offer.listing = Listing::Failed { message: error.message, hint: error.hint };
            }
        }
    }

    /// What a search found replaces what an earlier one did; the server `at` stays.
    pub(super) fn found(&mut self, found: Option<Found>, at: Option<&str>) {
        let offers = found.map(|found| found.offers).unwrap_or_default();
        self.servers.retain(|known| {
            let url = &known.offer.base_url;
            known.is_set || at.is_some_and(|at| is_same(at, url))
        });
        for offer in offers {
            self.add(offer);
        }
    }

    fn add(&mut self, Offer { server, place, models }: Offer) {
        let known =
            self.servers.iter_mut().find(|known| is_same(&known.offer.base_url, &server.base_url));
        if let Some(known) = known {
            known.offer.name = server.name;
            known.offer.models = models;
            known.offer.listing = Listing::Known;
        } else {
            let known = ServerModels::known(server.base_url, place, models);
            let offer = ServerModels { name: server.name, ..known };
            self.servers.push(Known { offer, is_set: false });
        }
    }

    /// The server with this address: as it was told, and whether the settings name it.
    pub(super) fn find(&self, base_url: &str) -> Option<(&ServerModels, bool)> {
        let found = self.servers.iter().find(|known| is_same(&known.offer.base_url, base_url));
        found.map(|known| (&known.offer, known.is_set))
    }

    /// Whether the list of this server can be shown without asking.
    pub(super) fn has(&self, base_url: &str) -> bool {
        self.find(base_url).is_some_and(|(offer, _)| offer.listing == Listing::Known)
    }

    /// All of it, the server `at` first. What is not known is being asked, or will be.
    pub(super) fn all(&self, at: Option<&str>, unknown: &Listing) -> Vec<ServerModels> {
        let offers = self.servers.iter().map(|known| {
            let mut offer = known.offer.clone();
            offer.present = at.is_some_and(|at| is_same(at, &offer.base_url));
            if offer.listing == Listing::Asking {
                offer.listing = unknown.clone();
            }
            offer
        });
        let mut offers: Vec<_> = offers.collect();
        offers.sort_by_key(|offer| !offer.present);
        offers
    }

    /// A listing begins: what failed is tried again.
    pub(super) fn begin(&mut self) {
        for known in &mut self.servers {
            if known.is_set
                && (known.offer.models.is_empty() || known.offer.listing != Listing::Known)
            {
                known.offer.listing = Listing::Asking;
            }
        }
    }
}

/// What stands for all of this machine while it is searched and nothing is known.
pub(super) fn this_machine(listing: Listing) -> ServerModels {
    let place = super::found::about().place;
    ServerModels { listing, ..ServerModels::asked(String::new(), place) }
}

/// Whether two addresses lead to the same server. This machine has several names.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

fn plain(url: &str) -> String {
    let url = url.trim().trim_end_matches('/').to_ascii_lowercase();
    let Some((scheme, rest)) = url.split_once("://") else { return url };
    for name in ["localhost", "[::1]"] {
        if let Some(after) = rest.strip_prefix(name)
            && (after.is_empty() || after.starts_with([':', '/']))
        {
            return format!("{scheme}://127.0.0.1{after}");
        }
    }
    url
}

#[cfg(test)]
mod tests;
