//! `formwork state`: what is stored of deployments, and mending it by hand.

mod json;
mod text;

use crate::arguments::{Adopt, Forget, Format, List, Pending, Show, State, StateCommand, Unlock};
use crate::deployments::{block_on, now, random};
use crate::stores::{Store, own, unreadable};
use crate::terminal::{Failure, confirm, print, print_error, print_json};
use formwork_engine::{Adoption, InstanceView, Phase, ResourceView, UpkeepError};
use serde_json::{Value, json};

pub fn run(options: &State) -> Result<bool, Failure> {
    let place = match &options.command {
        StateCommand::List(List { store })
        | StateCommand::Show(Show { store, .. })
        | StateCommand::Pending(Pending { store, .. })
        | StateCommand::Unlock(Unlock { store, .. })
        | StateCommand::Forget(Forget { store, .. })
        | StateCommand::Adopt(Adopt { store, .. }) => store,
    };
    let format = place.format;
    block_on(async {
        let store = Store::open(place).await?;
        let done = match &options.command {
            StateCommand::List(_) => list(&store, format).await,
            StateCommand::Show(options) => show(&store, options, format).await,
            StateCommand::Pending(options) => pending(&store, options, format).await,
            StateCommand::Unlock(options) => unlock(&store, options, format).await,
            StateCommand::Forget(options) => forget(&store, options, format).await,
            StateCommand::Adopt(options) => adopt(&store, options, format).await,
        };
        store.close().await;
        done
    })
}

async fn list(store: &Store, format: Format) -> Result<bool, Failure> {
    let mut found = Vec::new();
    for name in store.names().await? {
        // One that cannot be read must not hide the others.
        let view = store.engine.view(&name).await;
        found.push((name, view.map_err(|error| error.to_string())));
    }
    match format {
        Format::Json => print_json(&Value::Array(
            found.iter().map(|(name, view)| json::line(name, view)).collect(),
        )),
        Format::Text if found.is_empty() => print_error("nothing is deployed"),
        Format::Text => print(&text::lines(&found)),
    }
    Ok(true)
}

async fn show(store: &Store, options: &Show, format: Format) -> Result<bool, Failure> {
    let view = store.view(&options.instance).await?;
    match &options.resource {
        None => match format {
            Format::Json => print_json(&json::instance(&view)),
            Format::Text => print(&text::instance(&view)),
        },
        Some(name) => {
            let resource = resource(&view, name)?;
            match format {
                Format::Json => print_json(&json::resource(resource)),
                Format::Text => print(&text::resource(resource)),
            }
        }
    }
    Ok(true)
}

async fn pending(store: &Store, options: &Pending, format: Format) -> Result<bool, Failure> {
    let views = match &options.instance {
        Some(called) => vec![store.view(called).await?],
        None => {
            let mut views = Vec::new();
            for name in store.names().await? {
                views.extend(store.engine.view(&name).await.map_err(unreadable)?);
            }
            views
        }
    };
    let busy: Vec<&InstanceView> = views
        .iter()
        .filter(|view| view.phase != Phase::Settled || view.pending().next().is_some())
        .collect();
    match format {
        Format::Json => print_json(&busy.iter().map(|view| json::pending(view)).collect()),
        Format::Text if busy.is_empty() => print_error("nothing is under way"),
        Format::Text => {
            let now = now();
            let told: Vec<String> = busy.iter().map(|view| text::pending(view, now)).collect();
            print(&told.join("\n\n"));
        }
    }
    Ok(true)
}

async fn unlock(store: &Store, options: &Unlock, format: Format) -> Result<bool, Failure> {
    let view = store.view(&options.instance).await?;
    if view.phase == Phase::Settled {
        report(&view.instance, Err(&UpkeepError::NothingToRelease), format);
        return Ok(true);
    }
    if format == Format::Text {
        print_error(&text::holder(&view, now()));
    }
    if !confirm("end it?", options.yes)? {
        return Ok(false);
    }
    let done = store.engine.release(&view.instance, view.serial).await;
    finish(&view.instance, done, "ended: the next deploy begins anew", format)
}

async fn forget(store: &Store, options: &Forget, format: Format) -> Result<bool, Failure> {
    let view = store.view(&options.instance).await?;
    let resource = resource(&view, &options.resource)?;
    if format == Format::Text {
        print_error(&text::forgetting(resource));
    }
    if view.phase != Phase::Running && !confirm("forget it?", options.yes)? {
        return Ok(false);
    }
    let done = store
        .engine
        .forget(&view.instance, &resource.lane, view.serial)
        .await;
    finish(&view.instance, done, "forgotten, and still in the cloud", format)
}

async fn adopt(store: &Store, options: &Adopt, format: Format) -> Result<bool, Failure> {
    let type_name = match options.type_name.contains("::") {
        true => options.type_name.clone(),
        false => formwork_schema::resolve_type(&options.type_name)
            .map_err(|error| Failure::usage(error.to_string()))?,
    };
    let known = match store.find(&options.instance).await? {
        Some(name) => store.engine.view(&name).await.map_err(unreadable)?,
        None => None,
    };
    let (instance, serial) = match known {
        Some(view) => (view.instance, Some(view.serial)),
        None => {
            crate::deployments::check_name(&options.instance)?;
            (own(&options.instance), None)
        }
    };
    let adoption = Adoption {
        name: options.resource.clone(),
        type_name,
        identifier: options.identifier.clone(),
        salt: random(),
    };
    let done = store.engine.adopt(&instance, &adoption, serial).await;
    finish(
        &instance,
        done,
        "adopted: the next deploy changes it to what the blueprint wants",
        format,
    )
}

/// A resource or leftover of an instance.
fn resource<'v>(view: &'v InstanceView, name: &str) -> Result<&'v ResourceView, Failure> {
    let found = view.resources.iter().find(|resource| resource.lane == name);
    found.ok_or_else(|| {
        let names: Vec<String> = view
            .resources
            .iter()
            .map(|resource| format!("`{}`", resource.lane))
            .collect();
        let hint = match names.is_empty() {
            true => "it has no resources".to_owned(),
            false => format!("there is {}", names.join(", ")),
        };
        Failure::usage_with_hint(format!("`{name}` is no resource of `{}`", view.instance), hint)
    })
}

/// Tells what came of a change. A refusal is a "no"; what could not be asked at all is a failure of the command.
fn finish(
    instance: &str,
    done: Result<(), UpkeepError>,
    success: &str,
    format: Format,
) -> Result<bool, Failure> {
    match done {
        Ok(()) => Ok(report(instance, Ok(success), format)),
        Err(UpkeepError::Engine(error)) => Err(unreadable(error)),
        Err(error @ UpkeepError::NoType { .. }) => Err(Failure::usage(error.to_string())),
        Err(UpkeepError::Cloud { error, .. }) if !is_answer(&error.code) => {
            Err(Failure::outside("the resource cannot be read", error))
        }
        Err(error) => Ok(report(instance, Err(&error), format)),
    }
}

/// True if the cloud has told something of the resource, and not only that it cannot be asked.
fn is_answer(code: &str) -> bool {
    code.ends_with("NotFoundException") || code == "NotFound" || code == "OtherIdentifier"
}

fn report(instance: &str, done: Result<&str, &UpkeepError>, format: Format) -> bool {
    match (format, done) {
        (Format::Json, done) => print_json(&json!({
            "instance": instance,
            "changed": done.is_ok(),
            "problem": done.err().map(ToString::to_string),
        })),
        (Format::Text, Ok(success)) => print_error(&format!("{instance}: {success}")),
        (Format::Text, Err(problem)) => print_error(&format!("{instance}: {problem}")),
    }
    done.is_ok()
}
