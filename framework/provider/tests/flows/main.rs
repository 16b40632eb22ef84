//! Both flows from outside, over the fakes and under paused time.

#[cfg(test)]
mod better_rows;
#[cfg(test)]
mod cdk_rows;
#[cfg(test)]
mod cut_off;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod support;
